//! The `wasi:http` door of generate-question-paper.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(banyan_functions::guest::serve::<generate_question_paper::QuestionPaper>);

/// The component exports its door; nothing runs it as a program.
fn main() {}
