"""web_viewer's page: a browser and a client that sends any header or message."""
