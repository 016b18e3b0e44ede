//! Samples as teachers upload them, and as attackers would.

mod docx;

mod fences;

mod files;

mod hostile;

mod work;

mod outlines;

mod pdf;
