export interface Option {
  value: string;
  label: string;
}

/** The thirty boards: stored value and label (functions/SPECIFICATION.md DOM-8). */
export const boards: readonly Option[] = [
  { value: 'CBSE', label: 'CBSE – Central Board of Secondary Education' },
  { value: 'ICSE', label: 'ICSE/ISC – Council for the Indian School Certificate Examinations (CISCE)' },
  { value: 'IB', label: 'IB – International Baccalaureate' },
  { value: 'Cambridge', label: 'Cambridge – Cambridge International (IGCSE, AS & A Level)' },
  { value: 'NIOS', label: 'NIOS – National Institute of Open Schooling' },
  { value: 'Andhra Pradesh Board', label: 'Board of Secondary Education, Andhra Pradesh (BSEAP)' },
  { value: 'Telangana Board', label: 'Board of Secondary Education, Telangana' },
  { value: 'Assam Board', label: 'Assam State School Education Board (ASSEB; formerly SEBA and AHSEC)' },
  { value: 'Bihar Board', label: 'Bihar School Examination Board (BSEB)' },
  { value: 'Chhattisgarh Board', label: 'Chhattisgarh Board of Secondary Education (CGBSE)' },
  { value: 'Gujarat Board', label: 'Gujarat Secondary and Higher Secondary Education Board (GSEB)' },
  { value: 'Haryana Board', label: 'Board of School Education Haryana (BSEH)' },
  { value: 'Himachal Pradesh Board', label: 'Himachal Pradesh Board of School Education (HPBOSE)' },
  { value: 'Jammu & Kashmir Board', label: 'Jammu and Kashmir Board of School Education (JKBOSE)' },
  { value: 'Jharkhand Board', label: 'Jharkhand Academic Council (JAC)' },
  { value: 'Karnataka Board', label: 'Karnataka School Examination and Assessment Board (KSEAB)' },
  { value: 'Kerala Board', label: 'Kerala – Pareeksha Bhavan (SSLC) and DHSE' },
  { value: 'Madhya Pradesh Board', label: 'Board of Secondary Education, Madhya Pradesh (MPBSE)' },
  {
    value: 'Maharashtra Board',
    label: 'Maharashtra State Board of Secondary and Higher Secondary Education (MSBSHSE)',
  },
  { value: 'Manipur Board', label: 'Board of Secondary Education, Manipur (BSEM) and COHSEM' },
  { value: 'Meghalaya Board', label: 'Meghalaya Board of School Education (MBOSE)' },
  { value: 'Nagaland Board', label: 'Nagaland Board of School Education (NBSE)' },
  { value: 'Odisha Board', label: 'Board of Secondary Education, Odisha and CHSE' },
  { value: 'Punjab Board', label: 'Punjab School Education Board (PSEB)' },
  { value: 'Rajasthan Board', label: 'Board of Secondary Education, Rajasthan (RBSE)' },
  { value: 'Tamil Nadu Board', label: 'Tamil Nadu State Board – Directorate of Government Examinations' },
  { value: 'Tripura Board', label: 'Tripura Board of Secondary Education (TBSE)' },
  { value: 'Uttar Pradesh Board', label: 'UP Board – Uttar Pradesh Madhyamik Shiksha Parishad (UPMSP)' },
  { value: 'Uttarakhand Board', label: 'Uttarakhand Board of School Education (UBSE)' },
  { value: 'West Bengal Board', label: 'West Bengal Board of Secondary Education (WBBSE) and WBCHSE' },
];

export const classes: readonly Option[] = Array.from({ length: 12 }, (_, index) => {
  const name = `Class ${index + 1}`;
  return { value: name, label: name };
});
