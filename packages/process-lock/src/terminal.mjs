import { isatty } from 'node:tty'

/**
 * Whether a standard stream of this process was a terminal when it was started; read once, because a terminal that was closed is
 * none any more. Without one, as under nohup, the end of a terminal does not end the process.
 */
export const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))

/** Ignores SIGHUP where no standard stream is a terminal. Node has undone what nohup had set. */
export function surviveHangUp() {
  if (!isOnTerminal) process.on('SIGHUP', () => {})
}

/**
 * How a process without a terminal starts a program that does not survive SIGHUP by itself: outside its group, which gets the
 * signal. Ctrl-C reaches such a program no more either.
 */
export const childOptions = { detached: !isOnTerminal }

/**
 * What a terminal would act on, or show in another order than it is written: control characters except the line feed, and the
 * marks and separators of lines and of the direction of text.
 */
const control = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu
const controlOrBreak = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/**
 * Text for a terminal: names, headers and file names in it come from outside. Escaped as in JSON, so that a document of JSON stays
 * the same document. Line feeds stay, which the program itself writes.
 * @param {string} text
 */
export function escapeControls(text) {
  return text.replace(control, escaped)
}

/**
 * The same for one line, such as a file name within a sentence: line feeds are escaped too.
 * @param {string} text
 */
export function escapeLine(text) {
  return text.replace(controlOrBreak, escaped)
}

/** @param {string} character */
function escaped(character) {
  if (character === '\n') return '\\n'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
