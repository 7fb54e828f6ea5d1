import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Client } from '../../db/pool.ts'
import { setBalanceHeaders } from '../../delivery/paid-reply.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import { ClosedObject } from '../../kernel/shapes.ts'
import { changeList, deleteList } from '../../lists/change-list.ts'
import { type ListsServices, listsContext } from '../../lists/context.ts'
import { createList } from '../../lists/create-list.ts'
import { addItems, removeItems } from '../../lists/items/change-items.ts'
import { readItems } from '../../lists/items/read-items.ts'
import type { ListRow } from '../../lists/queries.ts'
import { readList, readLists } from '../../lists/read-lists.ts'
import {
  ListChanges,
  ListDeleted,
  ListDetails,
  ListItemPage,
  ListItemQuery,
  ListItemsAdded,
  ListItemsRemoved,
  ListItemsRequest,
  ListPage,
  ListPageQuery,
  NewList,
} from '../../lists/schema.ts'
import { recordAudit } from '../../people/audit.ts'
import { memberContext } from '../access.ts'
import { rowsChargedHeader } from '../openapi-document.ts'

const tags = ['lists']
const reads = { console: { who: 'viewer', needsAccess: true } } as const
const edits = { console: { who: 'member', needsAccess: true } } as const
const params = ClosedObject({ account: Type.String({ maxLength: 100 }), id: Type.String({ maxLength: 100 }) })
const ofOneList = ['invalid_list_id', 'list_not_found'] as const
const ofPages = ['invalid_limit', 'invalid_cursor'] as const
const ofItems = ['invalid_store_id', 'invalid_contact_id'] as const
const ofSearches = ['missing_parameter', 'invalid_filter_value', 'conflicting_filters', 'invalid_domain'] as const

/** The lists of an account for people: viewers see them, members edit them, each change with its entry of the audit log. */
export function registerListConsoleRoutes(api: ApiRoutes, services: ListsServices): void {
  const contextOf = (request: FastifyRequest) => listsContext(memberContext(request), services)
  const auditAs = (request: FastifyRequest, action: `list.${string}`) => {
    const { caller, person, address, now } = memberContext(request)
    return (client: Client, list: ListRow, count?: number) =>
      recordAudit(client, {
        ...{ accountId: caller.accountId, personId: person.id, address, at: now, action },
        target: services.ids.seal('list', list.id, caller.mode),
        details: { name: list.name, kind: list.kind, ...(count !== undefined && { count }) },
      })
  }

  api.get(
    '/accounts/:account/lists',
    {
      config: reads,
      schema: {
        operationId: 'listLists',
        tags,
        summary: 'List the lists of the account, newest first',
        querystring: ListPageQuery,
        response: { 200: ListPage, ...errorReplies(...ofPages) },
      },
    },
    (request) => readLists(contextOf(request), request.query),
  )

  api.post(
    '/accounts/:account/lists',
    {
      config: edits,
      schema: {
        operationId: 'createList',
        tags,
        summary: 'Create a list of stores or of contacts',
        body: NewList,
        response: { 201: ListDetails, ...errorReplies('list_name_taken', 'list_limit_reached') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createList(contextOf(request), request.body, auditAs(request, 'list.created'))),
  )

  api.get(
    '/accounts/:account/lists/:id',
    {
      config: reads,
      schema: {
        operationId: 'getList',
        tags,
        summary: 'Read a list',
        params,
        response: { 200: ListDetails, ...errorReplies(...ofOneList) },
      },
    },
    (request) => readList(contextOf(request), request.params.id),
  )

  api.patch(
    '/accounts/:account/lists/:id',
    {
      config: edits,
      schema: {
        operationId: 'updateList',
        tags,
        summary: 'Change the name or the description of a list',
        params,
        body: ListChanges,
        response: { 200: ListDetails, ...errorReplies('missing_parameter', ...ofOneList, 'list_name_taken') },
      },
    },
    (request) => changeList(contextOf(request), request.params.id, request.body, auditAs(request, 'list.changed')),
  )

  api.delete(
    '/accounts/:account/lists/:id',
    {
      config: edits,
      preHandler: rejectBody,
      schema: {
        operationId: 'deleteList',
        tags,
        summary: 'Delete a list with everything in it',
        params,
        response: { 200: ListDeleted, ...errorReplies(...ofOneList) },
      },
    },
    (request) => deleteList(contextOf(request), request.params.id, auditAs(request, 'list.deleted')),
  )

  api.get(
    '/accounts/:account/lists/:id/items',
    {
      config: reads,
      schema: {
        operationId: 'listListItems',
        tags,
        summary: 'List what is in a list, newest first',
        description: 'Shows ids, domains and names, and costs nothing.',
        params,
        querystring: ListItemQuery,
        response: { 200: ListItemPage, ...errorReplies(...ofOneList, ...ofPages) },
      },
    },
    (request) => readItems(contextOf(request), request.params.id, request.query),
  )

  api.post(
    '/accounts/:account/lists/:id/items',
    {
      config: { console: { ...edits.console, spends: ['search_rows'] } },
      schema: {
        operationId: 'addListItems',
        tags,
        summary: 'Add stores or contacts to a list',
        description:
          'From a search, each item that the list did not have counts as a search row and in the hour of the person; by domain or id it is free. No store is exported.',
        params,
        body: ListItemsRequest,
        response: {
          200: ListItemsAdded,
          ...errorReplies(...ofOneList, ...ofItems, ...ofSearches, 'list_limit_reached'),
        },
      },
    },
    async (request, reply) => {
      const audit = auditAs(request, 'list.items_added')
      const { reply: added, balance } = await addItems(contextOf(request), request.params.id, request.body, audit)
      setBalanceHeaders(reply, balance, ['search_rows'])
      return reply.header(rowsChargedHeader, request.body.from ? added.added : 0).send(added)
    },
  )

  api.post(
    '/accounts/:account/lists/:id/items/remove',
    {
      config: edits,
      schema: {
        operationId: 'removeListItems',
        tags,
        summary: 'Take stores or contacts off a list',
        params,
        body: ListItemsRequest,
        response: { 200: ListItemsRemoved, ...errorReplies(...ofOneList, ...ofItems, ...ofSearches) },
      },
    },
    (request) =>
      removeItems(contextOf(request), request.params.id, request.body, auditAs(request, 'list.items_removed')),
  )
}
