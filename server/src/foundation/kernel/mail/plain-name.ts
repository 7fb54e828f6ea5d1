const maxLength = 60
/** Telephones call what they take for a number. */
const phoneNumber = /\d(?:[ ()+-]*\d){6,}/g
// Letters, digits and marks of names; a full stop only at the end of a word. No program makes a link of what is left.
const otherThanNames = /[^\p{L}\p{M}\p{N} &'’,()!+.-]|\.(?=\S)/gu

/**
 * The name of a user or an account, for a text that goes out under this installation's name: short, one line,
 * and nothing that a mail program makes a link of. Empty if nothing is left.
 */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(otherThanNames, ' ')
    .replace(phoneNumber, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const letters = [...plain]
  return letters.length > maxLength
    ? `${letters
        .slice(0, maxLength - 1)
        .join('')
        .trim()}…`
    : plain
}
