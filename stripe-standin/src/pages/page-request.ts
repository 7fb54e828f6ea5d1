import type { Desk } from '../state/database.ts'
import type { FormTokens } from './form-token.ts'
import type { Notice, Page } from './layout.ts'

/** One request for a page: the records, and what the person sent. */
export interface Visit {
  readonly desk: Desk
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

export type Outcome = Page | Redirect

/** Thrown where a form was not filled in as it must be; the sentence is shown above the same form. */
export class FormProblem extends Error {}

/** Thrown where a form does not come from a page that shows how things stand; nothing is done then. */
export class StaleForm extends Error {}

/** Goes on only when the form was sent from our page and what that page showed is still so. */
export function mustFit(visit: Visit, action: string, shown: unknown): void {
  if (!visit.tokens.fits(visit.form.get('token') ?? undefined, action, shown)) throw new StaleForm()
}
