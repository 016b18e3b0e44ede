import { expect, test } from 'vitest';
import { boards, classes } from '../curriculum';
import { aidSubjects, paperSubjects, subjects } from './subjects';
import { aidBoards, aidClasses, aidTypes } from './teaching-aids';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

// rows: S-182
test('there are thirty boards with their stored values', () => {
  expect(boards.map(({ value, label }) => [value, label])).toEqual([
    ['CBSE', 'CBSE – Central Board of Secondary Education'],
    ['ICSE', 'ICSE/ISC – Council for the Indian School Certificate Examinations (CISCE)'],
    ['IB', 'IB – International Baccalaureate'],
    ['Cambridge', 'Cambridge – Cambridge International (IGCSE, AS & A Level)'],
    ['NIOS', 'NIOS – National Institute of Open Schooling'],
    ['Andhra Pradesh Board', 'Board of Secondary Education, Andhra Pradesh (BSEAP)'],
    ['Telangana Board', 'Board of Secondary Education, Telangana'],
    ['Assam Board', 'Assam State School Education Board (ASSEB; formerly SEBA and AHSEC)'],
    ['Bihar Board', 'Bihar School Examination Board (BSEB)'],
    ['Chhattisgarh Board', 'Chhattisgarh Board of Secondary Education (CGBSE)'],
    ['Gujarat Board', 'Gujarat Secondary and Higher Secondary Education Board (GSEB)'],
    ['Haryana Board', 'Board of School Education Haryana (BSEH)'],
    ['Himachal Pradesh Board', 'Himachal Pradesh Board of School Education (HPBOSE)'],
    ['Jammu & Kashmir Board', 'Jammu and Kashmir Board of School Education (JKBOSE)'],
    ['Jharkhand Board', 'Jharkhand Academic Council (JAC)'],
    ['Karnataka Board', 'Karnataka School Examination and Assessment Board (KSEAB)'],
    ['Kerala Board', 'Kerala – Pareeksha Bhavan (SSLC) and DHSE'],
    ['Madhya Pradesh Board', 'Board of Secondary Education, Madhya Pradesh (MPBSE)'],
    ['Maharashtra Board', 'Maharashtra State Board of Secondary and Higher Secondary Education (MSBSHSE)'],
    ['Manipur Board', 'Board of Secondary Education, Manipur (BSEM) and COHSEM'],
    ['Meghalaya Board', 'Meghalaya Board of School Education (MBOSE)'],
    ['Nagaland Board', 'Nagaland Board of School Education (NBSE)'],
    ['Odisha Board', 'Board of Secondary Education, Odisha and CHSE'],
    ['Punjab Board', 'Punjab School Education Board (PSEB)'],
    ['Rajasthan Board', 'Board of Secondary Education, Rajasthan (RBSE)'],
    ['Tamil Nadu Board', 'Tamil Nadu State Board – Directorate of Government Examinations'],
    ['Tripura Board', 'Tripura Board of Secondary Education (TBSE)'],
    ['Uttar Pradesh Board', 'UP Board – Uttar Pradesh Madhyamik Shiksha Parishad (UPMSP)'],
    ['Uttarakhand Board', 'Uttarakhand Board of School Education (UBSE)'],
    ['West Bengal Board', 'West Bengal Board of Secondary Education (WBBSE) and WBCHSE'],
  ]);
});

// rows: S-183 S-232
test('there are twelve classes in two spellings', () => {
  expect(values(classes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `Class ${n}`));
  expect(values(aidClasses).join(' ')).toBe('1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th');
});

// rows: S-184 S-213 S-233
test('each tool has its subjects', () => {
  const common =
    'Mathematics, Science, Physics, Chemistry, Biology, English, Hindi, Social Studies, History, Geography, Civics, Economics, Computer Science, Physical Education, Art & Craft, Music, Sanskrit';
  expect(subjects.join(', ')).toBe(common);
  expect(paperSubjects.join(', ')).toBe(`${common}, Maths, Telugu, Marathi, Kannada`);
  expect(aidSubjects.join(', ')).toBe(
    'Mathematics, Science, English, Hindi, Social Studies, Physics, Chemistry, Biology, History, Geography, Civics, Economics',
  );
});

// rows: S-231 S-234
test('teaching aids have their boards and types', () => {
  expect(values(aidBoards)).toEqual(['CBSE', 'ICSE', 'NCERT', 'State Board', 'IB', 'Cambridge']);
  expect(values(aidTypes)).toEqual(['worksheets', 'practice-sheets', 'interactive-activities', 'games']);
});
