import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { RequestContext } from '../state/database.ts'
import type { Notice, Page } from './layout.ts'

/** One request for a page: the records, and what the person sent. */
export interface PageRequest {
  readonly ctx: RequestContext
  readonly tokens: FormTokens
  /** Ids in the address. */
  readonly params: Readonly<Record<string, string>>
  /** What a form sent: of a GET in the address, of a POST in the body. */
  readonly form: URLSearchParams
  /** Said on the page that is shown. */
  readonly notice?: Notice | undefined
}

/** Where the browser goes next. */
interface Redirect {
  readonly redirect: string
}

export type PageResponse = Page | Redirect

/** Thrown where a form was not filled in as it must be; the sentence is shown above the same form. */
export class InvalidFormError extends Error {}

/** Thrown where a form does not come from a page that shows how things stand; nothing is done then. */
export class StaleFormError extends Error {}

/** Goes on only when the form was sent from our page and what that page showed is still so. */
export function checkFormToken(visit: PageRequest, action: string, shown: unknown): void {
  if (!visit.tokens.verify(visit.form.get('token') ?? undefined, action, shown)) throw new StaleFormError()
}

/**
 * Proves that a form was sent from a page that we rendered, and that what the page showed is still so: the token is made
 * from the form's address and the facts that the person read. Another site cannot make it; a page that has grown old, or
 * was sent once already, no longer fits. The key lives as long as the process: after a restart pages are shown anew.
 */
export class FormTokens {
  private readonly key = randomBytes(32)

  create(action: string, shown: unknown): string {
    return this.mac(action, shown).toString('base64url')
  }

  verify(token: string | undefined, action: string, shown: unknown): boolean {
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
