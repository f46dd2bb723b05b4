"""`tacit explain`, and the process that explains for pages."""
