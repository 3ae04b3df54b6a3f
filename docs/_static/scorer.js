/* Search results of the manual: what measures or lists changes comes after what explains. */
const LAST = ["benchmarks", "changelog", "contributing", "robustness"];
var Scorer = {
  score: ([page, title, anchor, description, score]) => score - (LAST.includes(page) ? 1000 : 0),
  // As in Sphinx, which has no way to replace only the function.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
