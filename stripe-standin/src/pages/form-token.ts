import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Proves that a form was sent from a page that we rendered, and that what the page showed is still so: the token is made
 * from the form's address and the facts that the person read. Another site cannot make it; a page that has grown old, or
 * was sent once already, no longer fits. The key lives as long as the process: after a restart pages are shown anew.
 */
export class FormTokens {
  private readonly key = randomBytes(32)

  make(action: string, shown: unknown): string {
    return this.mac(action, shown).toString('base64url')
  }

  fits(token: string | undefined, action: string, shown: unknown): boolean {
    const given = Buffer.from(token ?? '', 'base64url')
    const expected = this.mac(action, shown)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  private mac(action: string, shown: unknown): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([action, shown]))
      .digest()
  }
}
