import type { ApiRoutes } from '../../http/server.ts'
import type { ConsoleServices } from '../services.ts'
import { registerOperatorDataRoutes } from './data-routes.ts'
import { registerOperatorImportRoutes } from './imports/routes.ts'

/** Routes with which operators run the installation. */
export function registerOperatorConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  registerOperatorDataRoutes(api, services)
  registerOperatorImportRoutes(api, services)
}
