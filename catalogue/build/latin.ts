/** Letters that are no Latin letter with a mark, each with what stands for it. */
const letters = new Map([
  ...pairs('ßæœøłđðþı', 'ss ae oe o l d d th i'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o'),
  ...pairs('абвгґдеєжзиіклмнопрстуфхцчшщ', 'a b v h g d e ie zh z y i k l m n o p r s t u f kh ts ch sh shch'),
  ...pairs('ыэюя', 'y e iu ia'),
])

function pairs(from: string, to: string): [letter: string, latin: string][] {
  const latin = to.split(' ')
  return [...from].map((letter, index) => [letter, latin[index]!])
}

/**
 * A name in lower-case ASCII with hyphens, as it would stand in an address; null where its letters cannot be put one by
 * one into Latin ones.
 */
export function latinOf(name: string): string | null {
  const bare = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\p{Mark}'’ʼьъ]/gu, '')
  const latin = bare.replace(/\p{Letter}/gu, (letter) => letters.get(letter) ?? letter).replace(/[\s.-]+/g, '-')
  return /^[a-z]+(-[a-z]+)*$/.test(latin) ? latin : null
}
