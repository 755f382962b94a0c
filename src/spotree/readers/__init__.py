"""Model in: `read` looks up who reads a source; one file per kind of source."""
