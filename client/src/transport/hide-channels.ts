// The symbol under which Node, and programs that follow it, look for an object's own way to be printed. No import: browsers
// have no util.
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')

const channels: ReadonlySet<string> = new Set(['emails', 'phones', 'profile_url'])

/**
 * Keeps the channels of a revealed contact out of what `inspect`, `console.log` and `%o` print. Its properties and its JSON stay
 * complete. A copy, such as `{ ...contact }`, is printed whole.
 */
export function hideChannels<T extends object>(contact: T): T {
  return Object.defineProperty(contact, inspectSymbol, { value: printable, configurable: true, enumerable: false })
}

function printable(this: object): object {
  return Object.fromEntries(Object.entries(this).filter(([name]) => !channels.has(name)))
}
