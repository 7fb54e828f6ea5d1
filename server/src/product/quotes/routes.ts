import { callerContext } from '../../customers/admission/hooks.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { validateVariant } from '../../foundation/http/validation.ts'
import type { QuoteSealer } from '../../foundation/kernel/quote.ts'
import { type SearchServices, searchContext } from '../exclusion/exclude.ts'
import { refusalsOfExports } from '../exports/export-query.ts'
import { createQuote, type QuoteContext, quoting } from './create-quote.ts'
import { quoteExamples } from './examples.ts'
import { Quote, QuoteRequest, quoteVariants } from './schema.ts'

interface QuoteServices extends SearchServices {
  quotes: QuoteSealer
}

function quoteContext(ctx: CallerContext, services: QuoteServices): QuoteContext {
  return { ...searchContext(ctx, services), quotes: services.quotes }
}

/** Checks a body as what its `for` says. */
const validateQuoteRequest = validateVariant('for', quoteVariants)

export function registerQuoteRoutes(api: ApiRoutes, services: QuoteServices): void {
  api.post(
    '/quotes',
    {
      config: { access: quoting, example: quoteExamples.createQuote },
      preValidation: validateQuoteRequest,
      schema: {
        operationId: 'createQuote',
        tags: ['quotes'],
        summary: 'Ask what a reveal or an export would cost',
        description:
          'Returns what revealing these contacts, or an export with this body, would cost now, exactly, beside what is left. Changes nothing and reserves nothing. The quote of an export, sent with the same body within ten minutes, holds the export to its cost. For quoted_reveal it opens an earlier quote of a reveal, and refuses it if it costs more by now.',
        body: QuoteRequest,
        response: {
          200: Quote,
          ...errorReplies(...refusalsOfExports),
        },
      },
    },
    (request) => createQuote(quoteContext(callerContext(request), services), request.body),
  )
}
