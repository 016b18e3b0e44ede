//! Components of hostile shapes, written as text.

/// A component whose handler has this core module: it exports `handle` and may import nothing.
#[must_use]
pub fn with_module(module: &str) -> Vec<u8> {
    component("", module)
}

/// One that imports this besides the types of a handler.
#[must_use]
pub fn with_import(import: &str) -> Vec<u8> {
    component(import, "(func (export \"handle\") (param i32 i32))")
}

/// A component of so many modules, its handler's included, each with a global of its own. It gives
/// no answer.
#[must_use]
pub fn with_modules(all: usize) -> Vec<u8> {
    let instances = "(core instance (instantiate $idle))\n".repeat(all - 1);
    let import =
        format!("(core module $idle (global (mut i32) (i32.const 1)) (func (export \"f\")))\n{instances}");
    component(&import, "(func (export \"handle\") (param i32 i32))")
}

/// One that gives no answer and takes most of a second to be compiled. It is a single function,
/// which one processor has to compile however many there are.
#[must_use]
pub fn slow_to_compile() -> Vec<u8> {
    let step = "(local.set 0 (i32.add (i32.mul (local.get 0) (i32.load (local.get 0))) (i32.const 7)))\n";
    let function = format!("(func (param i32) (result i32)\n{}(local.get 0))\n", step.repeat(39_000));
    with_module(&format!("(memory 1)\n{function}(func (export \"handle\") (param i32 i32))"))
}

/// One of half a megabyte whose only function takes gigabytes to be compiled: a thousand variables,
/// each set here and there.
#[must_use]
pub fn huge_to_compile() -> Vec<u8> {
    const VARIABLES: usize = 1000;
    let step = |step: usize| {
        let [one, other, set] = [1, 7, 13].map(|stride| step * stride % VARIABLES + 1);
        format!(
            "(if (local.get 0) (then (local.set {set} (i32.add (local.get {one}) (local.get {other})))))\n"
        )
    };
    let steps: String = (0..30_000).map(step).collect();
    let variables = "i32 ".repeat(VARIABLES);
    let function = format!("(func (param i32) (result i32) (local {variables})\n{steps}(local.get 0))");
    with_module(&format!("{function}(func (export \"handle\") (param i32 i32))"))
}

fn component(import: &str, module: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (import "wasi:http/types@0.2.0" (instance $types
                (export "incoming-request" (type (sub resource)))
                (export "response-outparam" (type (sub resource)))))
            {import}
            (alias export $types "incoming-request" (type $request))
            (alias export $types "response-outparam" (type $outparam))
            (core module $module {module})
            (core instance $instance (instantiate $module))
            (type $handle (func (param "request" (own $request)) (param "response-out" (own $outparam))))
            (func $handle (type $handle) (canon lift (core func $instance "handle")))
            (instance $handler (export "handle" (func $handle)))
            (export "wasi:http/incoming-handler@0.2.0" (instance $handler))
        )"#
    );
    wat::parse_str(text).expect("the text is a component's")
}
