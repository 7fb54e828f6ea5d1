import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { maxQuotedContactIds } from '../../../foundation/kernel/quote.ts'
import { type ApiCall, callApi, ToolError } from '../api-call.ts'
import { ownInput } from '../schemas.ts'
import { catalogueData, catalogueOutput, compactValue } from '../text.ts'
import { createRevealQuote, describeCost, insufficientError, openRevealQuote, revealQuoted } from './quoted.ts'
import type { Tool, ToolContext, ToolReply } from './tool.ts'

const contactIds = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: maxQuotedContactIds,
  description: 'Ids from search_contacts',
}

const quote: Tool<{ contact_ids: string[] }> = {
  name: 'quote_reveal',
  title: 'Quote a reveal',
  description:
    'What revealing these people would cost, and a quote that reveal_contacts takes for ten minutes. Spends nothing.',
  input: ownInput({
    type: 'object',
    properties: { contact_ids: contactIds },
    required: ['contact_ids'],
    additionalProperties: false,
  }),
  output: {
    type: 'object',
    properties: {
      quote: { type: 'string' },
      expires_at: { type: 'string' },
      credits: { type: 'integer' },
      credits_remaining: { type: 'integer' },
      new_exports: { type: 'integer' },
      sufficient: { type: 'boolean' },
    },
    required: ['quote', 'expires_at', 'credits', 'credits_remaining', 'sufficient'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ api }, { contact_ids }) {
    const quoted = await createRevealQuote(api, contact_ids)
    return {
      says: [
        `Revealing ${describeCost(quoted)}.`,
        ...(quoted.sufficient ? [] : ['That is more than what is left, so revealing them would be refused.']),
        `The quote is accepted until ${quoted.expires_at}: ${quoted.quote}`,
      ],
      rows: [],
      structured: compactValue(quoted) as Record<string, unknown>,
    }
  },
}

interface RevealInput {
  contact_ids?: string[]
  quote?: string
}

/** The state that the client carries from the question to the answer. */
interface Asked {
  quote: string
}

const question = 'spend'

const reveal: Tool<RevealInput> = {
  name: 'reveal_contacts',
  title: 'Reveal people',
  description:
    'Emails and phones of people, for credits; one already revealed is free. The person is asked first. A client that cannot ask gives the quote of quote_reveal, with a key that has a credit budget.',
  input: ownInput({
    type: 'object',
    properties: { contact_ids: contactIds, quote: { type: 'string', description: 'From quote_reveal' } },
    additionalProperties: false,
  }),
  output: catalogueOutput(
    {
      data: { type: 'array', items: { type: 'object' } },
      credits_spent: { type: 'integer' },
      credits_remaining: { type: 'integer' },
      request_ids: { type: 'array', items: { type: 'string' } },
    },
    ['data', 'credits_spent'],
  ),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run(ctx, input) {
    const { api, mcp } = ctx
    if (!input.contact_ids && input.quote === undefined)
      throw new ToolError('missing_parameter', 'Give contact_ids, or the quote of quote_reveal.', {
        param: 'contact_ids',
      })
    const asked = mcp.mcpReq.requestState<Asked>()
    const answer = inputResponse(mcp.mcpReq.inputResponses, question)
    if (asked && answer.kind === 'elicit') return revealIfAccepted(api, input, asked, answer.action)
    return ctx.canAsk ? askFirst(ctx, input) : revealByQuote(api, input)
  },
}

/** Asks the person, with a quote that the client hands back with the answer. What costs nothing needs no question. */
async function askFirst(ctx: ToolContext, input: RevealInput): Promise<ToolReply | InputRequiredResult> {
  const { api } = ctx
  const quoted =
    input.quote === undefined
      ? await createRevealQuote(api, input.contact_ids!)
      : await openRevealQuote(api, input.quote, input.contact_ids)
  if (!quoted.sufficient) throw insufficientError(quoted)
  if (quoted.credits === 0 && quoted.new_exports === 0)
    return revealQuoted(api, await openRevealQuote(api, quoted.quote, input.contact_ids))
  return inputRequired({
    inputRequests: {
      [question]: inputRequired.elicit({
        message: `Reveal ${describeCost(quoted)}?`,
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: await ctx.sealState({ quote: quoted.quote } satisfies Asked),
  })
}

async function revealIfAccepted(
  api: ApiCall,
  { contact_ids, quote }: RevealInput,
  asked: Asked,
  action: string,
): Promise<ToolReply> {
  if (action !== 'accept')
    return {
      says: [
        `The person did not agree (${action === 'decline' ? 'declined' : 'canceled'}). Nothing was revealed or spent.`,
      ],
      rows: [],
      structured: catalogueData({ data: [], credits_spent: 0 }),
      outcome: 'declined',
    }
  if (quote !== undefined && quote !== asked.quote)
    throw new ToolError('invalid_quote', 'The person was asked about another quote; call again without an answer.', {
      param: 'quote',
    })
  return revealQuoted(api, await openRevealQuote(api, asked.quote, contact_ids))
}

/** Without a user to ask: the quote shows the cost, and the key's budget bounds the calls together. */
async function revealByQuote(api: ApiCall, { quote, contact_ids }: RevealInput): Promise<ToolReply> {
  if (quote === undefined)
    throw new ToolError(
      'quote_required',
      'This client cannot ask a person, so nothing was revealed: call quote_reveal with these ids, show the person what it costs, then call reveal_contacts with its quote.',
      { param: 'quote' },
    )
  const { key } = await callApi(api, { method: 'GET', path: '/usage' })
  if (!key?.budget?.contact_credits)
    throw new ToolError(
      'budget_required',
      'This client cannot ask a person, so it reveals only with a key that has a credit budget: an owner sets one in the console, or the operator with "storedex keys set ID --budget contact_credits=N".',
      { param: 'key_budget.contact_credits' },
    )
  return revealQuoted(api, await openRevealQuote(api, quote, contact_ids))
}

export const revealTools = [quote, reveal]
