"""Learning platforms: names of downloaded files, marks to upload, and Gradescope's autograder."""
