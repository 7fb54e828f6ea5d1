import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { rowsChargedHeader, setBalanceHeaders } from '../delivery/paid-reply.ts'
import { unknownExcludedList } from '../exclusion/exclude.ts'
import { changeList, deleteList } from './change-list.ts'
import { changingItems, editingLists, type ListsServices, listsContext, readingLists } from './context.ts'
import { createList } from './create-list.ts'
import { listExamples } from './examples.ts'
import { addItems, removeItems } from './items/change-items.ts'
import { readItems } from './items/read-items.ts'
import { readList, readLists } from './read-lists.ts'
import {
  List,
  ListChanges,
  ListDeleted,
  ListItemPage,
  ListItemQuery,
  ListItemsAdded,
  ListItemsRemoved,
  ListItemsRequest,
  ListPage,
  ListPageQuery,
  NewList,
} from './schema.ts'

const tags = ['lists']
const params = ClosedObject({
  id: Type.String({
    description: 'The id of a list.',
    maxLength: 16_000,
    errorCode: 'invalid_list_id',
    errorMessage: 'A list id is the id of a list, unchanged: lst_live_ or lst_test_ and 16 letters.',
  }),
})

/** How a request with items is refused beyond what its schema says. */
const ofItems = [
  { code: 'missing_parameter', param: 'domains', message: 'Give domains, store_ids, contact_ids, or from with max.' },
  'invalid_store_id',
  {
    code: 'invalid_contact_id',
    param: 'contact_ids[0]',
    message: 'contact_ids[0] is not the id of a contact: ct_live_ or ct_test_ and 16 letters.',
  },
  { code: 'conflicting_filters', param: 'from.filters.apps.none[0]' },
  'list_not_found',
  { ...unknownExcludedList, param: 'from.exclude.lists[0]' },
] as const

export function registerListRoutes(api: ApiRoutes, services: ListsServices): void {
  const contextOf = (request: FastifyRequest) => listsContext(callerContext(request), services)

  api.post(
    '/lists',
    {
      config: { access: editingLists, example: listExamples.createList },
      schema: {
        operationId: 'createList',
        tags,
        summary: 'Create a list of stores or of contacts',
        description:
          'A list keeps what you want to come back to, leave out of searches, or export. An account has at most 200 lists.',
        body: NewList,
        response: {
          201: List,
          ...errorReplies('list_name_taken', {
            code: 'list_limit_reached',
            message: 'An account has at most 200 lists; delete one first.',
          }),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await createList(contextOf(request), request.body)),
  )

  api.get(
    '/lists',
    {
      config: { access: readingLists, example: listExamples.listLists },
      schema: {
        operationId: 'listLists',
        tags,
        summary: 'List your lists, newest first',
        description: 'Shows how many items each list has, but not the items.',
        querystring: ListPageQuery,
        response: { 200: ListPage },
      },
    },
    (request) => readLists(contextOf(request), request.query),
  )

  api.get(
    '/lists/:id',
    {
      config: { access: readingLists, example: listExamples.getList },
      schema: {
        operationId: 'getList',
        tags,
        summary: 'Read a list',
        description: 'Shows its name, description and number of items, but not the items.',
        params,
        response: { 200: List, ...errorReplies('list_not_found') },
      },
    },
    (request) => readList(contextOf(request), request.params.id),
  )

  api.patch(
    '/lists/:id',
    {
      config: { access: editingLists, example: listExamples.updateList },
      schema: {
        operationId: 'updateList',
        tags,
        summary: 'Change the name or the description of a list',
        description: 'What is left out stays as it is; its items are not touched.',
        params,
        body: ListChanges,
        response: {
          200: List,
          ...errorReplies('list_not_found', 'list_name_taken', {
            code: 'missing_parameter',
            param: 'name',
            message: 'name or description is required.',
          }),
        },
      },
    },
    (request) => changeList(contextOf(request), request.params.id, request.body),
  )

  api.delete(
    '/lists/:id',
    {
      config: { access: editingLists, example: listExamples.deleteList },
      preHandler: rejectBody,
      schema: {
        operationId: 'deleteList',
        tags,
        summary: 'Delete a list with everything in it',
        description:
          'Its stores and contacts stay in the catalogue, and what was revealed or exported stays so. It cannot be undone.',
        params,
        response: { 200: ListDeleted, ...errorReplies('list_not_found') },
      },
    },
    (request) => deleteList(contextOf(request), request.params.id),
  )

  registerItemRoutes(api, contextOf)
}

function registerItemRoutes(
  api: ApiRoutes,
  contextOf: (request: FastifyRequest) => ReturnType<typeof listsContext>,
): void {
  api.post(
    '/lists/:id/items',
    {
      config: {
        access: { ...changingItems, spends: ['search_rows'] },
        example: listExamples.addListItems,
        costs: 'with from, one search row for each item that the list did not have; no store export',
      },
      schema: {
        operationId: 'addListItems',
        tags,
        summary: 'Add stores or contacts to a list',
        description:
          'Takes up to 1,000 domains, store ids or contact ids, or the first results of a search (`from` and `max`). All or nothing: a list has at most 100,000 items. A domain that no store has is kept as pending, and becomes an item when an import brings the store. `max` must fit into the search rows left; the list then shows its items for free.',
        params,
        body: ListItemsRequest,
        response: { 200: ListItemsAdded, ...errorReplies(...ofItems, 'list_limit_reached') },
      },
    },
    async (request, reply) => {
      const { reply: added, balance } = await addItems(contextOf(request), request.params.id, request.body)
      setBalanceHeaders(reply, balance)
      if (request.caller === null) reply.header(rowsChargedHeader, request.body.from ? added.added : 0)
      return added
    },
  )

  api.post(
    '/lists/:id/items/remove',
    {
      config: { access: changingItems, example: listExamples.removeListItems },
      schema: {
        operationId: 'removeListItems',
        tags,
        summary: 'Take stores or contacts off a list',
        description: 'Takes the same body as adding. What the list does not have changes nothing.',
        params,
        body: ListItemsRequest,
        response: { 200: ListItemsRemoved, ...errorReplies(...ofItems) },
      },
    },
    (request) => removeItems(contextOf(request), request.params.id, request.body),
  )

  api.get(
    '/lists/:id/items',
    {
      config: { access: readingLists, example: listExamples.listListItems },
      schema: {
        operationId: 'listListItems',
        tags,
        summary: 'List what is in a list, newest first',
        description:
          'Shows ids, domains and names. What a search or an export delivers of a list is charged as anywhere.',
        params,
        querystring: ListItemQuery,
        response: { 200: ListItemPage, ...errorReplies('list_not_found') },
      },
    },
    (request) => readItems(contextOf(request), request.params.id, request.query),
  )
}
