declare module '*?worker' {
  const create: new () => Worker;
  export default create;
}
