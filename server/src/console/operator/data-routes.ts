import { personContext } from '../../auth/signed-in.ts'
import { errorReplies } from '../../http/openapi/errors.ts'
import type { ApiRoutes } from '../../http/server.ts'
import type { CursorSealer } from '../../kernel/cursor.ts'
import { CatalogueSizes, describeCatalogue } from './catalogue.ts'
import {
  ErasureBody,
  ErasureReply,
  OperatorCatalogueReply,
  PageQuery,
  PrivacyRequestListReply,
  SuppressionCountsReply,
  SuppressionsBody,
  SuppressionsReply,
  SystemReply,
  WebhookListReply,
} from './data-schema.ts'
import { describeSuppressions, type ErasureServices, eraseByOperator, suppressByOperator } from './erasures.ts'
import { listBillingEvents, listPrivacyRequests } from './lists.ts'
import { describeSystem, type SystemServices } from './system.ts'

const config = { access: { operator: true, kind: 'read' } } as const
/** What cannot be undone needs a recent sign-in. */
const freshConfig = { access: { operator: true, kind: 'powerful' } } as const
const tags = ['operator']

export function registerOperatorDataRoutes(
  api: ApiRoutes,
  services: ErasureServices & SystemServices & { cursors: CursorSealer },
): void {
  const sizes = new CatalogueSizes()

  api.get(
    '/operator/catalogue',
    {
      config,
      schema: {
        operationId: 'getCatalogue',
        tags,
        summary: 'Read the size of the catalogue, its last batches and the state of search',
        response: { 200: OperatorCatalogueReply },
      },
    },
    (request) => describeCatalogue(personContext(request), { sizes, search: services.search }),
  )

  api.post(
    '/operator/erasures',
    {
      config: freshConfig,
      schema: {
        operationId: 'erasePerson',
        tags,
        summary: 'Erase a person permanently',
        body: ErasureBody,
        response: { 200: ErasureReply },
      },
    },
    (request) => eraseByOperator(personContext(request), services, request.body),
  )

  api.get(
    '/operator/suppressions',
    {
      config,
      schema: {
        operationId: 'getSuppressions',
        tags,
        summary: 'Count the people and sites that imports skip',
        response: { 200: SuppressionCountsReply },
      },
    },
    (request) => describeSuppressions(personContext(request)),
  )

  api.post(
    '/operator/suppressions',
    {
      config: freshConfig,
      schema: {
        operationId: 'addSuppressions',
        tags,
        summary: 'Suppress people and sites, and erase those on file',
        body: SuppressionsBody,
        response: { 200: SuppressionsReply },
      },
    },
    (request) => suppressByOperator(personContext(request), services, request.body.text),
  )

  api.get(
    '/operator/privacy-requests',
    {
      config,
      schema: {
        operationId: 'listPrivacyRequests',
        tags,
        summary: 'List the requests of the privacy page, the newest first',
        querystring: PageQuery,
        response: { 200: PrivacyRequestListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listPrivacyRequests(personContext(request), services.cursors, request.query),
  )

  api.get(
    '/operator/webhooks',
    {
      config,
      schema: {
        operationId: 'listBillingEvents',
        tags,
        summary: 'List the webhook events of the payment provider, the newest first',
        querystring: PageQuery,
        response: { 200: WebhookListReply, ...errorReplies('invalid_cursor') },
      },
    },
    (request) => listBillingEvents(personContext(request), request.query),
  )

  api.get(
    '/operator/system',
    {
      config,
      schema: {
        operationId: 'getSystem',
        tags,
        summary: 'Read the state of this process and of what it depends on',
        response: { 200: SystemReply },
      },
    },
    (request) => describeSystem(personContext(request), services),
  )
}
