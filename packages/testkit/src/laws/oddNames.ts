const blanks = [' ', ' a', 'a ', 'a b', '\t', 'line\nbreak', '\r', '\u0001', '\u007f', '\u200b', '\u2028', '\u202e']
const escapes = ['%', '%2F', '%00', '%41', '%zz', '+', '?', 'a?b=c', '#', '&', '=', ';', ',', ':', '\\', 'a\\b', '@']
const quotes = ['"', "'", '`', '<b>', '{', '[', '(', '*', '|', '$HOME', '!', '^', '-', '--', '-rf', '~', '~user']
const special = ['...', '....', '.hidden', '..hidden', 'name.', 'con', 'a (deleted)', '__proto__', 'constructor']
const cases = ['A', 'a', '\u0130', 'i', '\u017f', 's', '\u1e9e', 'ss']
const composed = ['\u00e9', 'e\u0301', '\u212b', '\u00c5', '\ufb01', 'fi', '\u0915\u094d', '\u05d0\u05d1']
const beyond = ['\ud7ff', '\ue000', '\ufffd', '\uffff', '\u{1f600}', '\u{10ffff}', '\u{1f468}\u200d\u{1f467}']
const byteOrderMarks = ['\ufeff', '\ufeffname', 'name\ufeff']
const of255Bytes = ['x'.repeat(255), `${'\u00e9'.repeat(127)}x`, `${'\u{1f600}'.repeat(63)}xyz`]

/** Legal names, easily lost by escaping, trimming, normalising, folding or a clever library. */
export const oddNames: ReadonlyArray<string> = [
  blanks,
  escapes,
  quotes,
  special,
  cases,
  composed,
  beyond,
  byteOrderMarks,
  of255Bytes,
].flat()
