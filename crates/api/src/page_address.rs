//! The address of a server's pages. Browsers send cookies to all ports of a host, and let all ports of `localhost` use
//! the same passkeys. So the pages of a server on this machine have their own host.

/// The page host of a server on this machine. Browsers resolve names below `localhost` to this machine.
pub const PAGE_HOST: &str = "countersign.localhost";

/// The names of this machine under which a server listens on the addresses that browsers try for [`PAGE_HOST`].
const LOCAL_HOSTS: [&str; 5] = ["127.0.0.1", "[::1]", "localhost", "0.0.0.0", "[::]"];

/// Returns the address at which a browser opens the pages of this server: for a server on this machine, one under
/// [`PAGE_HOST`], otherwise the same.
#[must_use]
pub fn page_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host_end = authority.rfind(':').filter(|colon| !authority[*colon..].contains(']'));
    let (host, port) = authority.split_at(host_end.unwrap_or(authority.len()));
    if LOCAL_HOSTS.iter().any(|local| host.eq_ignore_ascii_case(local)) {
        format!("{scheme}://{PAGE_HOST}{port}{path}")
    } else {
        url.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_address_becomes_page_address() {
        for (url, pages) in [
            ("http://127.0.0.1:7878", "http://countersign.localhost:7878"),
            ("http://[::1]:7878/", "http://countersign.localhost:7878/"),
            ("http://[::1]", "http://countersign.localhost"),
            ("https://LOCALHOST/x?y", "https://countersign.localhost/x?y"),
            ("http://0.0.0.0:80", "http://countersign.localhost:80"),
            ("http://127.0.0.2:7878", "http://127.0.0.2:7878"),
            ("https://approvals.example/127.0.0.1", "https://approvals.example/127.0.0.1"),
            ("http://localhost.example", "http://localhost.example"),
            ("unix:/run/c.sock", "unix:/run/c.sock"),
        ] {
            assert_eq!(page_address(url), pages);
        }
    }
}
