/**
 * The `code` of a system error (`ENOENT`) or of PostgreSQL (`57P03`), if it has one.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function errorCode(error) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/**
 * Runs a file operation; returns undefined if it fails with one of `codes`.
 * @template T
 * @param {readonly string[]} codes
 * @param {() => T} operation
 * @returns {T | undefined}
 */
export function ignoreErrors(codes, operation) {
  try {
    return operation()
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

// The system is out of descriptors, memory or processes.
const shortages = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']

/**
 * The result of `look`, or `assumed` when the system is too short of resources to tell.
 * @template T
 * @param {T} assumed
 * @param {() => T} look
 * @returns {T}
 */
export function assumeOnShortage(assumed, look) {
  try {
    return look()
  } catch (error) {
    if (shortages.includes(errorCode(error) ?? '')) return assumed
    throw error
  }
}
