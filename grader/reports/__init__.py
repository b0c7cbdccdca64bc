"""What a person looks at after a class was graded: the page of the class and a page for each student."""
