"""The node move_group: MoveIt's services, actions and topics."""
