// The key is in a cookie now: on to the page, without it in the address.
const on = new URL(location.href);
on.searchParams.delete("key");
location.replace(on);
