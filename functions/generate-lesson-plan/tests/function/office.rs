//! The checked-in set of requests through the whole function, and every file in a real word
//! processor.

use generate_lesson_plan::LessonPlan;
use generate_lesson_plan::request::LessonRequest;

use crate::office_reader::assert_office_reads;
use crate::set::{all_printed, requests};

#[tokio::test]
async fn every_request_of_the_set_gives_a_plan_that_libreoffice_reads_as_the_preview() {
    let requests = requests(include_str!("../requests.json"));
    assert!(requests.len() >= 25, "{}", requests.len());
    let plans = all_printed::<LessonPlan>(&requests, ("docContent", "lessonPlan")).await;
    for (request, (answer, _)) in requests.iter().zip(&plans) {
        let asked = LessonRequest::read(request).expect("a valid request");
        let periods = answer["data"]["periods"].as_array().expect("periods");
        assert_eq!(periods.len(), usize::from(asked.periods), "{request}");
        for period in periods {
            let phases = period["phases"].as_array().expect("phases").iter();
            let minutes: u64 = phases.map(|phase| phase["minutes"].as_u64().expect("minutes")).sum();
            assert_eq!(minutes, answer["data"]["periodMinutes"], "V18 {request}");
        }
    }
    assert_office_reads(&plans.into_iter().map(|(_, plan)| plan).collect::<Vec<_>>());
}
