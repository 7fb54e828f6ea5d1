import type { ApiRoutes } from '../../http/server.ts'
import { registerAccountRoutes } from './account-routes.ts'
import { registerMemberRoutes } from './members/member-routes.ts'
import { registerPersonRoutes } from './person/person-routes.ts'
import type { AccountConsoleServices } from './services.ts'

/** Members, invitations, what a person decides about themselves, and the account as a whole. */
export function registerAccountConsoleRoutes(api: ApiRoutes, services: AccountConsoleServices): void {
  registerMemberRoutes(api, services)
  registerPersonRoutes(api, services)
  registerAccountRoutes(api, services)
}
