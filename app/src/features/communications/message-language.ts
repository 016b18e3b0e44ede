import { documentLanguage, type DocumentLanguage } from '@/builder/document-language';

/**
 * Words that only one of the two languages in Devanagari has. They are those of the function, and a
 * test compares them.
 */
export const hindi =
  'है हैं का की के में और से को पर होगा होगी होंगे लिए बजे रहेगा ने तक नहीं कक्षा समय सुबह शाम छुट्टी ' +
  'अभिभावक अभिभावकों आपके अपने';
export const marathi =
  'आहे आहेत आणि व होणार होईल येईल यावे आणावे करावे भरावे राहावे द्यावे घ्यावे साठी मध्ये सकाळी दुपारी ' +
  'वाजता सभा शाळेत शाळेची राहील पालकवर्ग चा ची चे च्या ते इयत्ता ठिकाण येथे किंवा नाही तसेच आपला आपल्या ' +
  'शेवटचा शेवटची शेवटचे पहिली पांढरा सहल सुट्टी लसीकरण स्नेहसंमेलन जानेवारी फेब्रुवारी एप्रिल जुलै ' +
  'ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर';
/** Endings that words of Hindi do not have. */
export const marathiEndings = 'णे ण्यात ण्याचे ांनी ांना ांच्या साठी मध्ये तील पासून';
/** Places with such an ending, which both languages name. */
export const places = 'पुणे ठाणे';

/**
 * Returns the language of a message by the rule of its function: the language of the typed text.
 * Hindi and Marathi are told apart by their words, then by their letters, then by those of the
 * other fields (functions/SPECIFICATION.md D19). A shared table tests both.
 */
export function messageLanguage(typed: string, beside: string): DocumentLanguage {
  const { code, by } = documentLanguage({ board: '', subject: '', typed });
  const isMarathi = code === 'hi' && (marathiLead(typed) || marathiLead(beside)) > 0;
  return { code: isMarathi ? 'mr' : code, by };
}

/** Above zero if the text is more like Marathi, below zero if it is more like Hindi. */
function marathiLead(text: string): number {
  const words = text.split(/[\s!-/:-@[-`{-~।]/);
  const listed = (list: string, word: string) => list.split(' ').includes(word);
  const inflected = (word: string) =>
    !listed(places, word) &&
    marathiEndings.split(' ').some((ending) => word.length > ending.length && word.endsWith(ending));
  const ofMarathi = words.filter((word) => listed(marathi, word) || inflected(word)).length;
  const ofHindi = words.filter((word) => listed(hindi, word)).length;
  const letters = (ofOne: RegExp) => text.match(ofOne)?.length ?? 0;
  return ofMarathi - ofHindi || letters(/[ळऱॲ]/g) - letters(/।|\u093c/g);
}
