import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { RequestContext } from '../state/database.ts'
import type { HtmlPage, Notice } from './layout.ts'

/** A request for a page. */
export interface PageRequest {
  readonly ctx: RequestContext
  readonly tokens: FormTokens
  /** Ids in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Submitted form fields: from the query of a GET, from the body of a POST. */
  readonly form: URLSearchParams
  /** Shown at the top of the page. */
  readonly notice?: Notice | undefined
}

interface Redirect {
  readonly redirect: string
}

export type PageResponse = HtmlPage | Redirect

/** A form was filled in incorrectly; the message is shown above the form. */
export class InvalidFormError extends Error {}

/** A form was not sent from a current page; nothing is changed. */
export class StaleFormError extends Error {}

/** Throws unless the form was sent from our page and the state it showed is still current. */
export function checkFormToken(pageRequest: PageRequest, action: string, shown: unknown): void {
  if (!pageRequest.tokens.verify(pageRequest.form.get('token') ?? undefined, action, shown)) throw new StaleFormError()
}

/**
 * A token that proves that a form was sent from our page and that the state shown there is still current: a MAC of the
 * form's path and that state. Other sites cannot create it, and it becomes invalid when the state changes. The key
 * lasts as long as the process.
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
