/** Replaces a secret wherever it occurs in a text. */
export function redact(text: string, secret: string): string {
  return secret === '' ? text : text.replaceAll(secret, '[redacted]')
}

/**
 * A copy of an error of `fetch` for `error.cause`: names, messages and codes of the chain, without the key. The original can hold
 * anything that its author attached, the request's headers included.
 */
export function copyCause(error: unknown, secret: string, depth = 0): Error | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return
  const { name, message, code, cause } = error as Record<string, unknown>
  const inner = copyCause(cause, secret, depth + 1)
  const copy = new Error(redact(String(message ?? ''), secret), inner && { cause: inner })
  // The stack of the copy says nothing; the name and the message do.
  delete copy.stack
  Object.defineProperty(copy, 'name', { value: redact(String(name ?? 'Error'), secret), enumerable: false })
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code, secret) }) : copy
}
