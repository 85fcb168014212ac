mod fixtures;
mod hostile;
mod pages;
mod parts;
