//! Connects generate-lesson-plan to `wasi:http`.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(banyan_functions::guest::serve::<generate_lesson_plan::LessonPlan>);

/// The component exports the handler above. Nothing runs it as a program.
fn main() {}
