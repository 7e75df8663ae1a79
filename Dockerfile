# The server in a container: docker build --tag redraft . && docker run --rm --publish 127.0.0.1:8081:8081 redraft
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /redraft \
    && /redraft/bin/pip install --no-cache-dir --constraint /source/constraints.txt "/source[server,zh]" /source/redraft/models/en /source/redraft/models/en-open /source/redraft/models/zh

FROM python:3.11-slim
COPY --from=build /redraft /redraft
RUN useradd --create-home redraft
USER redraft
EXPOSE 8081
HEALTHCHECK CMD ["/redraft/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8081/health', timeout=3)"]
# 0.0.0.0 is the container's own network: publish the port on 127.0.0.1 unless others may use the server. Requests may use the
# names localhost and 127.0.0.1; others are added with --name at the end of `docker run`.
ENTRYPOINT ["/redraft/bin/redraft", "serve", "--host", "0.0.0.0", "--name", "localhost"]
