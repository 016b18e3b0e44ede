/// The name that a word is likely meant to be: one that differs in few letters, however they are
/// cased.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let most = (word.len() / 3).clamp(1, 3);
    let steps = names.into_iter().map(|name| (distance(&word, &name.to_lowercase()), name));
    steps.filter(|(steps, _)| *steps <= most).min_by_key(|(steps, _)| *steps).map(|(_, name)| name)
}

/// Letters to insert, remove, replace or swap with the next until one is the other (optimal string
/// alignment).
fn distance(word: &[char], name: &str) -> usize {
    let name: Vec<char> = name.chars().collect();
    let mut steps = vec![vec![0; name.len() + 1]; word.len() + 1];
    for at in 0..=word.len() {
        for to in 0..=name.len() {
            steps[at][to] = if at == 0 || to == 0 {
                at + to
            } else {
                let replaced = steps[at - 1][to - 1] + usize::from(word[at - 1] != name[to - 1]);
                let is_swapped =
                    at > 1 && to > 1 && word[at - 1] == name[to - 2] && word[at - 2] == name[to - 1];
                let swapped = if is_swapped { steps[at - 2][to - 2] + 1 } else { replaced };
                replaced.min(swapped).min(steps[at - 1][to] + 1).min(steps[at][to - 1] + 1)
            };
        }
    }
    steps[word.len()][name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_known_and_another_word_is_not() {
        let names = ["github", "gitlab", "google", "Token", "TokenHash", "ConfirmationURL", "x"];
        for (word, meant) in [
            ("gihtub", Some("github")),
            ("googel", Some("google")),
            ("Tkoen", Some("Token")),
            ("token", Some("Token")),
            ("token_hash", Some("TokenHash")),
            ("ConfirmationUrl", Some("ConfirmationURL")),
            ("keycloak", None),
            ("Name", None),
        ] {
            assert_eq!(nearest(word, names), meant, "{word}");
        }
    }
}
