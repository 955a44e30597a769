//! The names of databases.

/// The names in a database address: the database, its host, and a file without its folder.
pub(super) fn names_of_database(address: &str) -> Vec<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('?').next().unwrap_or_default();
    let parts = rest
        .split(['/', '@', ' '])
        .flat_map(|part| part.split_once('=').map_or([part, ""], |(_, value)| [value, ""]));
    let names = parts.map(|part| part.split(':').next().unwrap_or_default().to_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_databases_have_names() {
        assert_eq!(names_of_database("postgres://ada:x@db.prod:5432/shop?a=b"), ["ada", "db.prod", "shop"]);
        assert_eq!(names_of_database("/srv/prod.db"), ["srv", "prod.db"]);
        assert_eq!(names_of_database("host=db.prod dbname=shop"), ["db.prod", "shop"]);
    }
}
