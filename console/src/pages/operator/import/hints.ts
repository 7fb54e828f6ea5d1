const fieldsOfOptions: readonly (readonly [option: RegExp, words: string])[] = [
  [/give --dates \S+ or --dates \S+/, 'choose the order of day and month'],
  [/give --decimal dot or --decimal comma/, 'choose the decimals'],
  [/give --decimal comma/, 'choose the comma for decimals'],
  [/give --encoding/, 'choose the encoding'],
  [/give --short-rows fill/, 'choose to fill rows with too few cells'],
  [/name the column: --map .*/s, 'choose a field for its column, or ignore it'],
]

/** A hint of the server, which names options of the command, in the words of this page. */
export function hintInWords(hint: string): string {
  return fieldsOfOptions.reduce((text, [option, words]) => text.replace(option, words), hint)
}
