//! The boards of the forms (SPECIFICATION.md DOM-8): the stored value and the label. Board text
//! is free; an unknown board is no error and gets neutral conventions.

/// A board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// As stored and sent.
    pub value: &'static str,
    /// As shown.
    pub label: &'static str,
}

/// The thirty boards in the order of the forms.
pub const ALL: [Board; 30] = [
    board("CBSE", "CBSE – Central Board of Secondary Education"),
    board("ICSE", "ICSE/ISC – Council for the Indian School Certificate Examinations (CISCE)"),
    board("IB", "IB – International Baccalaureate"),
    board("Cambridge", "Cambridge – Cambridge International (IGCSE, AS & A Level)"),
    board("NIOS", "NIOS – National Institute of Open Schooling"),
    board("Andhra Pradesh Board", "Board of Secondary Education, Andhra Pradesh (BSEAP)"),
    board("Telangana Board", "Board of Secondary Education, Telangana"),
    board("Assam Board", "Assam State School Education Board (ASSEB; formerly SEBA and AHSEC)"),
    board("Bihar Board", "Bihar School Examination Board (BSEB)"),
    board("Chhattisgarh Board", "Chhattisgarh Board of Secondary Education (CGBSE)"),
    board("Gujarat Board", "Gujarat Secondary and Higher Secondary Education Board (GSEB)"),
    board("Haryana Board", "Board of School Education Haryana (BSEH)"),
    board("Himachal Pradesh Board", "Himachal Pradesh Board of School Education (HPBOSE)"),
    board("Jammu & Kashmir Board", "Jammu and Kashmir Board of School Education (JKBOSE)"),
    board("Jharkhand Board", "Jharkhand Academic Council (JAC)"),
    board("Karnataka Board", "Karnataka School Examination and Assessment Board (KSEAB)"),
    board("Kerala Board", "Kerala – Pareeksha Bhavan (SSLC) and DHSE"),
    board("Madhya Pradesh Board", "Board of Secondary Education, Madhya Pradesh (MPBSE)"),
    board(
        "Maharashtra Board",
        "Maharashtra State Board of Secondary and Higher Secondary Education (MSBSHSE)",
    ),
    board("Manipur Board", "Board of Secondary Education, Manipur (BSEM) and COHSEM"),
    board("Meghalaya Board", "Meghalaya Board of School Education (MBOSE)"),
    board("Nagaland Board", "Nagaland Board of School Education (NBSE)"),
    board("Odisha Board", "Board of Secondary Education, Odisha and CHSE"),
    board("Punjab Board", "Punjab School Education Board (PSEB)"),
    board("Rajasthan Board", "Board of Secondary Education, Rajasthan (RBSE)"),
    board("Tamil Nadu Board", "Tamil Nadu State Board – Directorate of Government Examinations"),
    board("Tripura Board", "Tripura Board of Secondary Education (TBSE)"),
    board("Uttar Pradesh Board", "UP Board – Uttar Pradesh Madhyamik Shiksha Parishad (UPMSP)"),
    board("Uttarakhand Board", "Uttarakhand Board of School Education (UBSE)"),
    board("West Bengal Board", "West Bengal Board of Secondary Education (WBBSE) and WBCHSE"),
];

const fn board(value: &'static str, label: &'static str) -> Board {
    Board { value, label }
}

/// The board that a request names by value or by label, in any case.
pub fn find(text: &str) -> Option<Board> {
    let text = text.trim().to_lowercase();
    ALL.into_iter().find(|board| [board.value, board.label].iter().any(|name| name.to_lowercase() == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_is_found_by_value_and_by_label() {
        for board in ALL {
            assert_eq!(find(board.value), Some(board));
            assert_eq!(find(&format!(" {} ", board.label.to_uppercase())), Some(board));
        }
        assert_eq!(find("State Board"), None);
    }
}
