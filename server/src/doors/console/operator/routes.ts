import { userContext } from '../../../customers/auth/signed-in.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { CatalogueSizes, describeCatalogue } from './catalogue.ts'
import { OperatorCatalogueReply, SystemReply } from './schema.ts'
import { describeSystem, type SystemServices } from './system.ts'

const config = { access: { operator: true, kind: 'read' } } as const
const tags = ['operator']

/** What operators read of the whole installation. */
export function registerOperatorConsoleRoutes(api: ApiRoutes, services: SystemServices): void {
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
    (request) => describeCatalogue(userContext(request), { sizes, search: services.search }),
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
    (request) => describeSystem(userContext(request), services),
  )
}
