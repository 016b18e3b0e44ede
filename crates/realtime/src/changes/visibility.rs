//! Which rows an identity may see: row-level security as PostgreSQL applies it (CONTRACT.md G14).
//!
//! A row is selected by its key, as the identity. Where the row that is found is the version that
//! the change committed, that decides. Where the row was changed again meanwhile, what is seen now
//! says nothing about the version of the change: then the policies' conditions are asked about that
//! version too. So nobody is told of a row that his policies refuse.

use std::sync::Arc;

use banyan_db::{Database, Param, RunAs, RunError, Statement, sql::identifier};

use super::{
    arrays::literal,
    catalog::Rights,
    change::{Change, ChangedTable},
    identity::{Identity, Reads},
    pgoutput::Value,
    questions::SEARCH_PATH,
    rendered::Rendered,
    types::Shape,
};

/// A change whose row may be seen, or not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'c> {
    pub(super) change: &'c Change,
    pub(super) rendered: &'c Rendered,
    /// Whether its transaction changed the row again.
    pub(super) is_superseded: bool,
}

/// How a row was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    No,
    /// In the version that the change committed.
    AsCommitted,
    /// In a version that need not be that one.
    Changed,
}

/// Asks whether rows of one table may be seen by one role.
#[derive(Debug)]
pub(super) struct Visibility<'t> {
    database: &'t Database,
    table: &'t ChangedTable,
    rights: Arc<Rights>,
    select: Arc<str>,
    conditions: Option<Arc<str>>,
}

impl<'t> Visibility<'t> {
    pub(super) fn new(database: &'t Database, table: &'t ChangedTable, rights: Arc<Rights>) -> Self {
        let select = select(table, &rights).into();
        let conditions = conditions(table, &rights).map(Into::into);
        Self { database, table, rights, select, conditions }
    }

    /// Whether the identity may see each of these rows. What cannot be decided is no.
    pub(super) async fn check(&self, identity: &Identity, candidates: &[Candidate<'_>]) -> Vec<bool> {
        match self.try_check(identity, candidates).await {
            Ok(seen) => return seen,
            // One of them may make a policy fail; the others do not suffer by it.
            Err(RunError::Database(_)) if candidates.len() > 1 => {}
            Err(_) => return vec![false; candidates.len()],
        }
        let mut seen = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let one = self.try_check(identity, std::slice::from_ref(candidate)).await;
            seen.push(one.is_ok_and(|seen| seen == [true]));
        }
        seen
    }

    async fn try_check(
        &self,
        identity: &Identity,
        candidates: &[Candidate<'_>],
    ) -> Result<Vec<bool>, RunError> {
        let outcome = self.decide(identity, candidates).await;
        if let Err(error) = &outcome {
            let relation = &self.table.relation;
            tracing::warn!(
                db.table = format!("{}.{}", relation.schema, relation.name),
                db.role = identity.role(),
                error.message = %error,
                "policies could not be asked about row changes"
            );
        }
        outcome
    }

    async fn decide(&self, identity: &Identity, candidates: &[Candidate<'_>]) -> Result<Vec<bool>, RunError> {
        let found = self.find(identity, candidates).await?;
        let is_changed = |place: &usize| found[*place] == Found::Changed;
        let changed: Vec<usize> = (0..candidates.len()).filter(is_changed).collect();
        let mut seen: Vec<bool> = found.iter().map(|found| *found == Found::AsCommitted).collect();
        if !changed.is_empty() {
            let versions: Vec<_> = changed.iter().map(|place| candidates[*place]).collect();
            for (place, allowed) in changed.into_iter().zip(self.evaluate(identity, &versions).await?) {
                seen[place] = allowed;
            }
        }
        Ok(seen)
    }

    /// Looks for the rows by their keys.
    async fn find(&self, identity: &Identity, candidates: &[Candidate<'_>]) -> Result<Vec<Found>, RunError> {
        let mut found = vec![Found::No; candidates.len()];
        let places = candidates.iter().enumerate();
        let keyed: Vec<_> = places
            .filter_map(|(place, it)| {
                Some((place, it.change.xid, self.table.texts(&it.change.new, &self.rights.key)?))
            })
            .collect();
        let column = |key| literal(keyed.iter().map(move |(_, _, texts)| Some(texts[key])));
        let mut params: Vec<_> = (0..self.rights.key.len()).map(|key| Param::text(column(key))).collect();
        params.push(Param::text(literal(keyed.iter().map(|(_, xid, _)| Some(xid.to_string())))));
        let rows = self.run(identity, &self.select, params).await?;
        for row in 0..rows.rows.len() {
            let Some((place, ..)) = rows.text(row, 0).and_then(place).and_then(|at| keyed.get(at)) else {
                continue;
            };
            let is_committed = rows.text(row, 1) == Some("t") && !candidates[*place].is_superseded;
            found[*place] = if is_committed { Found::AsCommitted } else { Found::Changed };
        }
        Ok(found)
    }

    /// Asks the policies about the versions that were committed.
    async fn evaluate(&self, identity: &Identity, versions: &[Candidate<'_>]) -> Result<Vec<bool>, RunError> {
        let mut allowed = vec![false; versions.len()];
        let Some(conditions) = &self.conditions else { return Ok(allowed) };
        let whole = |(place, it): (usize, &Candidate<'_>)| Some((place, self.whole_row(it)?));
        let whole: Vec<_> = versions.iter().enumerate().filter_map(whole).collect();
        let params = vec![Param::text(literal(whole.iter().map(|(_, row)| Some(row))))];
        let rows = self.run(identity, conditions, params).await?;
        for row in 0..rows.rows.len() {
            if let Some((version, _)) = rows.text(row, 0).and_then(place).and_then(|at| whole.get(at)) {
                allowed[*version] = true;
            }
        }
        Ok(allowed)
    }

    /// The row as JSON; none where the change does not carry all of it, or JSON cannot tell it.
    fn whole_row(&self, candidate: &Candidate<'_>) -> Option<Vec<u8>> {
        let columns = &self.table.relation.columns;
        if columns.len() != self.rights.columns {
            return None;
        }
        let mut row = vec![b'{'];
        for (place, (column, value)) in columns.iter().zip(&candidate.rendered.new).enumerate() {
            let value = value.as_ref()?;
            let is_null = candidate.change.new.get(place)? == &Value::Null;
            if !is_null && mixes_up_nulls(&self.table.types.get(place)?.shape, value) {
                return None;
            }
            if row.len() > 1 {
                row.push(b',');
            }
            super::values::write_string(column.name.as_bytes(), &mut row);
            row.push(b':');
            row.extend_from_slice(value);
        }
        row.push(b'}');
        Some(row)
    }

    async fn run(
        &self,
        identity: &Identity,
        text: &Arc<str>,
        params: Vec<Param>,
    ) -> Result<banyan_db::Rows, RunError> {
        let statement = Statement::new(Arc::clone(text), params);
        let caller = &identity.caller;
        let run = RunAs { read_only: true, settings: &SEARCH_PATH, ..RunAs::new(caller, &statement) };
        self.database.run_as(&run).await
    }
}

/// Whether the JSON of a value may hold a null that is not SQL's, but is read as such.
fn mixes_up_nulls(shape: &Shape, json: &[u8]) -> bool {
    match shape {
        Shape::Json => json.trim_ascii() == b"null",
        Shape::Array(of, _) if **of != Shape::Json => false,
        Shape::Array(..) | Shape::Unknown => json.windows(4).any(|part| part == b"null"),
        _ => false,
    }
}

fn place(text: &str) -> Option<usize> {
    text.parse::<usize>().ok()?.checked_sub(1)
}

fn qualified(table: &ChangedTable) -> String {
    format!("{}.{}", identifier(&table.relation.schema), identifier(&table.relation.name))
}

/// Selects rows by their keys, with whether each is the version of a transaction.
fn select(table: &ChangedTable, rights: &Rights) -> String {
    let (mut arrays, mut names, mut equal) = (String::new(), String::new(), Vec::new());
    for (at, column) in rights.key.iter().enumerate() {
        let type_name =
            table.places.get(column.as_str()).map_or("text", |place| &*table.types[*place].qualified);
        arrays.push_str(&format!("${}::{type_name}[], ", at + 1));
        names.push_str(&format!("key_{at}, "));
        equal.push(format!("seen.{} = wanted.key_{at}", identifier(column)));
    }
    // Who may read some columns alone may not read this one, and is asked about the version.
    let version = if rights.reads_table { "seen.xmin = wanted.xid" } else { "false" };
    format!(
        "select wanted.place, {version}
         from unnest({arrays}${}::xid[]) with ordinality as wanted ({names}xid, place)
         join {} as seen on {}",
        rights.key.len() + 1,
        qualified(table),
        equal.join(" and ")
    )
}

/// Selects the rows for which the policies' conditions hold, with the table's name for the row.
/// None where no policy lets anybody see anything.
fn conditions(table: &ChangedTable, rights: &Rights) -> Option<String> {
    let of = |is_permissive| {
        let policies = rights.policies.iter().filter(move |policy| policy.is_permissive == is_permissive);
        policies.map(|policy| format!("({})", policy.condition)).collect::<Vec<_>>()
    };
    let (permissive, mut all) = (of(true), of(false));
    if permissive.is_empty() {
        return None;
    }
    all.push(format!("({})", permissive.join(" or ")));
    Some(format!(
        "select wanted.place
         from unnest($1::json[]) with ordinality as wanted (value, place)
         where exists (
             select from pg_catalog.json_populate_record(null::{}, wanted.value) as {}
             where {}
         )",
        qualified(table),
        identifier(&table.relation.name),
        all.join(" and ")
    ))
}

impl Rights {
    /// What the policies read of the claims.
    pub(super) fn reads(&self) -> Reads {
        let lasting = self.policies.iter().all(|policy| reads_lasting_claims(&policy.condition));
        if lasting { Reads::Lasting } else { Reads::Everything }
    }
}

/// Functions and keywords before a parenthesis that read no claim which a refresh of a token
/// changes.
const LASTING: [&str; 10] =
    ["auth.uid", "auth.role", "auth.email", "and", "or", "not", "any", "all", "in", "select"];

/// Whether a condition calls nothing but what is known, and looks into no other table.
fn reads_lasting_claims(condition: &str) -> bool {
    let lower = condition.to_lowercase();
    if lower.contains(" from ") || lower.contains('\'') && lower.contains("jwt") {
        return false;
    }
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '"');
    lower.match_indices('(').all(|(at, _)| {
        let before = lower[..at].trim_end();
        let word = before.rfind(|character| !is_word(character)).map_or(before, |end| &before[end + 1..]);
        word.is_empty() || LASTING.contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: G14
    #[test]
    fn a_null_of_json_is_not_taken_for_one_of_sql() {
        let array = |shape| Shape::Array(Box::new(shape), b',');
        for (shape, json, expected) in [
            (Shape::Json, " null ", true),
            (Shape::Json, "[null]", false),
            (Shape::Json, "\"null\"", false),
            (array(Shape::Json), "[1, null]", true),
            (array(Shape::Number), "[1, null]", false),
            (Shape::Unknown, "{\"a\": null}", true),
            (Shape::Unknown, "1", false),
        ] {
            assert_eq!(mixes_up_nulls(&shape, json.as_bytes()), expected, "{shape:?} {json}");
        }
    }

    #[test]
    fn only_known_functions_are_trusted_to_read_lasting_claims() {
        for (condition, lasting) in [
            ("(owner = auth.uid())", true),
            ("(owner = ( SELECT auth.uid() AS uid))", true),
            ("((NOT hidden) AND (auth.role() = 'authenticated'::text))", true),
            ("(owner = ANY (ARRAY[1, 2]))", true),
            ("((auth.jwt() ->> 'aal'::text) = 'aal2'::text)", false),
            ("(current_setting('request.jwt.claims'::text) = ''::text)", false),
            ("public.may_see(id)", false),
            ("(EXISTS ( SELECT 1 FROM public.members WHERE (members.id = auth.uid())))", false),
        ] {
            assert_eq!(reads_lasting_claims(condition), lasting, "{condition}");
        }
    }
}
