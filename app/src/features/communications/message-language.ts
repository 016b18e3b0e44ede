import { documentLanguage, type DocumentLanguage } from '@/builder/document-language';

/** Words that only one of the two languages in Devanagari has: those of the function, which a test holds them to. */
export const hindi = 'है हैं का की के में और से को पर होगा होगी होंगे लिए बजे रहेगा';
export const marathi =
  'आहे आहेत आणि व होणार होईल येईल यावे आणावे साठी मध्ये सकाळी वाजता सभा शाळेत शाळेची राहील पालकांनी सर्वांनी';

/**
 * The language of a message by the rule that its function follows: that of what was typed, with Hindi and Marathi told
 * apart by their words, then by their letters (decisions.md D19). A table that they share holds both to it.
 */
export function messageLanguage(typed: string): DocumentLanguage {
  const { code, by } = documentLanguage({ board: '', subject: '', typed });
  return { code: code === 'hi' && isMarathi(typed) ? 'mr' : code, by };
}

function isMarathi(text: string): boolean {
  const words = text.split(/[\s!-/:-@[-`{-~।]/);
  const known = (list: string) => words.filter((word) => list.split(' ').includes(word)).length;
  const letters = (ofOne: RegExp) => text.match(ofOne)?.length ?? 0;
  const lead = known(marathi) - known(hindi);
  return lead > 0 || (lead === 0 && letters(/[ळऱॲ]/g) > letters(/।|\u093c/g));
}
