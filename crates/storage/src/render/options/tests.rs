use super::*;

fn read(query: &[(&str, &str)]) -> Result<RenderOptions, String> {
    let fields = Fields::of_texts("querystring", query.iter().copied());
    RenderOptions::read(&fields).map_err(|error| error.to_string())
}

// rows: I02 I05
#[test]
fn options_are_told_in_the_words_and_the_order_of_imgproxy() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], ""),
        (&[("width", "0"), ("height", "0"), ("resize", "fill")], ""),
        (&[("width", "200")], "width:200,resizing_type:fill"),
        (
            &[("width", "200"), ("height", "200"), ("quality", "60")],
            "height:200,width:200,resizing_type:fill,quality:60",
        ),
        (&[("width", "99999"), ("resize", "contain")], "width:2000,resizing_type:fit"),
        (
            &[("height", "1e2"), ("resize", "fill"), ("format", "webp")],
            "height:100,resizing_type:force,format:webp",
        ),
        (&[("format", "origin")], ""),
        (&[("gravity", "noea")], "gravity:noea"),
        (&[("gravity", "so"), ("y_offset", "-4")], "gravity:so:0:-4"),
        (&[("gravity", "sm"), ("x_offset", "12")], "gravity:sm"),
        (&[("gravity", "fp"), ("x_offset", "0.25"), ("y_offset", "1")], "gravity:fp:0.25:1"),
        (&[("x_offset", "3"), ("cacheNonce", "x")], ""),
    ];
    for (query, text) in cases {
        assert_eq!(read(query).unwrap().transformations(), *text, "{query:?}");
    }
}

// rows: I02 E03
#[test]
fn bad_options_are_named() {
    for (name, value, message) in [
        ("width", "abc", "querystring/width must be integer"),
        ("width", "", "querystring/width must be integer"),
        ("width", "1.5", "querystring/width must be integer"),
        ("width", "inf", "querystring/width must be integer"),
        ("height", "-1", "querystring/height must be >= 0"),
        ("quality", "19", "querystring/quality must be >= 20"),
        ("quality", "101", "querystring/quality must be <= 100"),
        ("resize", "Cover", "querystring/resize must be equal to one of the allowed values"),
        ("format", "jpeg", "querystring/format must be equal to one of the allowed values"),
        ("gravity", "up", "querystring/gravity must be equal to one of the allowed values"),
        ("x_offset", "left", "querystring/x_offset must be number"),
    ] {
        assert_eq!(read(&[(name, value)]).unwrap_err(), message, "{name}={value}");
    }
}

// rows: I02
#[test]
fn a_focal_point_needs_both_coordinates() {
    for (x, y) in [(None, None), (Some("0.5"), None), (Some("0.5"), Some("1.1")), (Some("-0.1"), Some("0"))] {
        let mut query = vec![("gravity", "fp")];
        query.extend(x.map(|x| ("x_offset", x)));
        query.extend(y.map(|y| ("y_offset", y)));
        assert!(read(&query).unwrap_err().starts_with("Invalid Parameter: "), "{x:?} {y:?}");
    }
}

// rows: I01 S04
#[test]
fn a_signed_url_holds_its_options() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], ""),
        (&[("width", "100"), ("height", "80"), ("resize", "contain")], "height:80,width:100,resize:contain"),
        (&[("format", "origin")], "format:origin"),
        (&[("gravity", "fp"), ("x_offset", "0.5"), ("y_offset", "0")], "gravity:fp:0.5:0"),
        (&[("quality", "30"), ("format", "avif")], "quality:30,format:avif"),
    ];
    for (query, text) in cases {
        let options = read(query).unwrap();
        assert_eq!(options.signed(), *text);
        assert_eq!(RenderOptions::from_signed(text).unwrap(), options, "{text}");
    }
}
