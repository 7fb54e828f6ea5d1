/** An error whose message is all that has to be said. */
export function explained(message) {
  return Object.assign(new Error(message), { isExplained: true })
}
