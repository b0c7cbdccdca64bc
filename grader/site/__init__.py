"""The course as a static site: lessons without solutions, claims to search, the documents, the student's library."""
