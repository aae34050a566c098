import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import { menu, menuBody, menuList } from '../../shared/domain/menus/model.ts';
import { callerOf } from '../plugins/authentication.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bodyAnswers, projectAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

const menuParams = z.object({ name: z.string() });
const menuName = z.object({ name: z.string() });

type Options = Pick<Areas, 'menus'> & EarlierOptions;

/** The caller's menus. */
export const menuRoutes: FastifyPluginAsyncZod<Options> = async (app, { menus, identity }) => {
  const common = { tags: ['menu'], security: identity.security, headers: userProjectHeaders };

  app.route({
    method: 'GET',
    url: '/menu',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_menus',
      summary: 'Your menus, by name',
      response: { 200: menuList, ...projectAnswers },
    },
    handler: (request) => menus.list(projectIdOf(request), callerOf(request).user),
  });

  app.route({
    method: 'POST',
    url: '/menu',
    onRequest: identity.inProject('write'),
    config: { audit: { action: 'menu_saved', target: 'name' } },
    schema: {
      ...common,
      operationId: 'create_menu',
      summary: 'Save a menu; the details of its tasks are those of the catalog',
      body: menuBody,
      response: { 200: menuName, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => menus.create(projectIdOf(request), callerOf(request).user, request.body),
  });

  app.route({
    method: 'GET',
    url: '/menu/preset',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_preset_menus',
      summary: 'Menus to start from',
      response: { 200: menuList, ...projectAnswers },
    },
    handler: async (request) => menus.presets(callerOf(request).user),
  });

  app.route({
    method: 'GET',
    url: '/menu/:name',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_menu',
      summary: 'One of your menus',
      params: menuParams,
      response: { 200: menu, ...projectAnswers },
    },
    handler: (request) => menus.read(projectIdOf(request), callerOf(request).user, request.params.name),
  });

  app.route({
    method: 'PUT',
    url: '/menu/:name',
    onRequest: identity.inProject('write'),
    config: { audit: { action: 'menu_saved', target: 'name' } },
    schema: {
      ...common,
      operationId: 'update_menu',
      summary: 'Replace one of your menus completely, including its name',
      params: menuParams,
      body: menuBody,
      response: { 200: menuName, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      menus.change(projectIdOf(request), callerOf(request).user, request.params.name, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/menu/:name',
    onRequest: identity.inProject('write'),
    config: { audit: 'menu_deleted' },
    schema: {
      ...common,
      operationId: 'delete_menu',
      summary: 'Delete one of your menus',
      params: menuParams,
      response: { 200: menuName, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) => menus.remove(projectIdOf(request), callerOf(request).user, request.params.name),
  });
};
