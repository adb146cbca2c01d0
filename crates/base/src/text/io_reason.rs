use std::io::{Error, ErrorKind};

/// Why a file cannot be used, in words for messages: never a path of the machine or the number of an error.
pub fn io_reason(error: &Error) -> String {
    match error.kind() {
        _ if error.get_ref().is_some() => error.to_string(),
        ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_have_no_numbers_and_own_errors_keep_their_text() {
        assert_eq!(io_reason(&Error::from_raw_os_error(2)), "there is no such file");
        assert_eq!(io_reason(&ErrorKind::PermissionDenied.into()), "permission denied");
        assert_eq!(io_reason(&Error::other("it is outside the folder")), "it is outside the folder");
    }
}
