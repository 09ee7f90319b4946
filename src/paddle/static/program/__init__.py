"""What users build and files hold: programs, blocks, variables, and their messages."""
